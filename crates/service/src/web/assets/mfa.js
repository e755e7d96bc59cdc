// A retailer's verification request, answered: a method chosen, or a code entered, while there is time.

import { announce, h } from "./dom.js";

/** Shows one request. `answer(submission)` may throw a problem; `now()` is the user's time. */
export class Mfa {
  #request;
  #answer;
  #now;
  #ticking;
  #error = h("p", { class: "alert", id: "mfa-error", role: "alert", hidden: true });
  #timeLeft = h("p", { class: "time-left" });
  element;

  constructor(request, before, answer, now) {
    this.#request = request;
    this.#answer = answer;
    this.#now = now;
    this.element = request.mfa.eventType === "choose" ? this.#choose() : this.#enter(before);
    this.#tick();
    this.#ticking = setInterval(() => this.#tick(), 1000);
  }

  get reqId() {
    return this.#request.reqId;
  }

  /** Puts the cursor where the answer goes. */
  focus() {
    this.element.querySelector("input")?.focus();
  }

  /** The request is over. */
  end() {
    clearInterval(this.#ticking);
  }

  #choose() {
    const options = this.#request.mfa.options.map(({ id, label }, index) => {
      const radio = h("input", { type: "radio", name: "method", value: id, checked: index === 0 });
      return h("label", { class: "option" }, radio, h("span", {}, label ?? id));
    });
    const prompt = this.#request.mfa.prompt ?? "How do you want to get your verification code?";
    const send = h("button", { type: "submit", class: "primary" }, "Continue");
    const form = h("form", { class: "mfa" }, h("fieldset", {}, h("legend", {}, prompt), options), this.#error, this.#timeLeft, send);
    this.#onSubmit(form, send, () => ({ eventType: "choose", selectedOption: form.elements.method.value }));
    return form;
  }

  #enter(before) {
    const { prompt, attemptsLeft } = this.#request.mfa;
    const input = h("input", {
      id: "mfa-code", class: "code", type: "text", inputMode: "numeric", autocomplete: "one-time-code", maxLength: 64,
      spellcheck: false, autocapitalize: "none", "aria-describedby": "mfa-error mfa-time",
    });
    this.#timeLeft.id = "mfa-time";
    const send = h("button", { type: "submit", class: "primary" }, "Verify");
    const form = h(
      "form", { class: "mfa", noValidate: true },
      h("div", { class: "field" }, h("label", { htmlFor: "mfa-code" }, sentence(prompt)), input, this.#error),
      this.#timeLeft,
      send,
    );
    // The same question again: the code that was entered was wrong.
    if (before?.mfa.eventType === "enter") {
      input.setAttribute("aria-invalid", "true");
      this.#refuse(attemptsLeft === undefined ? "That code was wrong." : `That code was wrong. ${tries(attemptsLeft)} left.`);
    }
    this.#onSubmit(form, send, () => {
      const otpValue = input.value.trim();
      if (otpValue === "") {
        this.#refuse("Enter the code first.");
        input.focus();
        return undefined;
      }
      return { eventType: "enter", otpValue };
    });
    return form;
  }

  #onSubmit(form, send, read) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = send.disabled ? undefined : read();
      if (!given) {
        return;
      }
      send.disabled = true;
      this.#error.hidden = true;
      try {
        await this.#answer({ ...given, reqId: this.reqId });
        send.textContent = "Checking…";
        announce("Sent. The retailer is checking it.");
      } catch (problem) {
        this.#refuse(problem.code === "MFA_REQUEST_EXPIRED" ? "This request has expired." : problem.message);
        send.disabled = false;
      }
    });
  }

  #refuse(text) {
    this.#error.textContent = text;
    this.#error.hidden = false;
  }

  #tick() {
    const expiresAt = Date.parse(this.#request.mfa.expiresAt);
    if (Number.isNaN(expiresAt)) {
      return;
    }
    const seconds = Math.max(0, Math.ceil((expiresAt - this.#now()) / 1000));
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    this.#timeLeft.textContent = seconds > 0 ? `${clock} left to answer` : "The time to answer is over.";
    if (seconds === 60) {
      announce("One minute left to answer.");
    }
  }
}

function tries(count) {
  return count === 1 ? "One try" : `${count} tries`;
}

/** What the retailer asks, without what the page says itself. */
function sentence(prompt) {
  return (prompt ?? "Enter the code").replace(/^That code was wrong\.\s*/u, "").replace(/[.:]\s*$/u, "");
}
