// What a user of orval's fetch client writes: where the service is, who calls, and how an answer is read.

export const settings = { base: "", token: "", exact: false };

export async function send<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers);
  // To the endpoints of OAuth, a client says who it is in the form.
  if (!path.startsWith("/oauth/") && !headers.has("Authorization")) headers.set("Authorization", `Bearer ${settings.token}`);
  const response = await fetch(settings.base + path, { ...options, headers });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
  const data: unknown = isJson && !settings.exact ? JSON.parse(text) : text;
  return { data, status: response.status, headers: response.headers } as T;
}
