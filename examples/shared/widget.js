// Listens to the widget in the frame. A message is only a hint for the page: the app asks the service for what counts.

const frame = document.querySelector("iframe");
const news = document.querySelector("#news");

window.addEventListener("message", ({ data, origin, source }) => {
  // From the service, from this frame, and of the widget: any page can send a message to this one.
  if (origin !== frame.dataset.origin || source !== frame.contentWindow || data?.source !== "ordersync") {
    return;
  }
  if (data.type === "connected") {
    news.textContent = "A retailer is connected.";
  } else if (data.type === "needs_attention") {
    news.textContent = "A retailer needs your attention.";
  } else if (data.type === "closed") {
    location.assign("/back");
  }
  if (data.batchId) {
    const link = document.createElement("a");
    link.href = `/syncs/${encodeURIComponent(data.batchId)}`;
    link.textContent = "Follow the sync in this app";
    news.append(" ", link);
  }
});
