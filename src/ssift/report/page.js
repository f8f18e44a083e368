
// Tooltips of tokens: what the token's probability is, and which other tokens the model thought of.
// One token of each answer can be reached with Tab, the others from there with the arrow keys.
"use strict";
{
  const tip = document.getElementById("tip");
  const SENTINEL = -9999;
  const GAP = 8; // pixels between the tooltip and its token, and the edge of the window
  let shown = null;

  const element = (name, look, text) => {
    const made = document.createElement(name);
    if (look) made.className = look;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const percent = (logprob) => {
    if (logprob === "") return "no value";
    if (Number(logprob) <= SENTINEL) return "not in the top";
    const share = 100 * Math.exp(Math.min(Number(logprob), 0));
    if (share > 99.995 && share < 100) return ">99.99%";
    if (share >= 0.1) return `${share.toFixed(share > 99 && share < 100 ? 2 : 1)}%`;
    return share >= 1e-4 ? `${share.toPrecision(2)}%` : `${share.toExponential(1)}%`;
  };

  const nats = (logprob) =>
    logprob === "" ? "" : Number(logprob).toPrecision(4).replace("-", "−").replace("Infinity", "∞");

  const fill = (token) => {
    const { t: text, l: logprob, a: listed } = token.dataset;
    const head = element("p");
    head.append(element("span", "word own", text === "" ? "(empty)" : text), ` ${percent(logprob)}`);
    tip.replaceChildren(head);
    if (logprob !== "") tip.append(element("p", "said", `logprob ${nats(logprob)} nats`));
    if (!listed) return;
    const table = element("table");
    const parts = listed.split("\t");
    for (let place = 0; place + 1 < parts.length; place += 2) {
      const row = element("tr", parts[place] === text ? "own" : "");
      const word = element("td");
      word.append(element("span", "word", parts[place] === "" ? "(empty)" : parts[place]));
      row.append(word, element("td", "n", percent(parts[place + 1])));
      table.append(row);
    }
    tip.append(table);
  };

  const place = (token) => {
    const lines = token.getClientRects();
    const at = lines[0] ?? token.getBoundingClientRect();
    const width = tip.offsetWidth, height = tip.offsetHeight;
    const within = (value, size, room) => Math.max(GAP, Math.min(value, room - size - GAP));
    const room = document.documentElement.clientWidth;
    const below = at.bottom + GAP, above = at.top - height - GAP;
    const top = below + height + GAP <= innerHeight || above < GAP ? below : above;
    tip.style.left = `${within(at.left, width, room)}px`;
    tip.style.top = `${within(top, height, innerHeight)}px`;
  };

  const hide = () => {
    if (!shown) return;
    shown.classList.remove("shown");
    shown.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  };

  const show = (token) => {
    if (token === shown) return;
    hide();
    shown = token;
    token.classList.add("shown");
    token.setAttribute("aria-describedby", "tip");
    fill(token);
    tip.hidden = false;
    place(token);
  };

  const tokenOf = (target) => (target instanceof Element ? target.closest(".tokens .t") : null);

  const step = (token, key) => {
    const all = [...token.closest(".tokens").querySelectorAll(".t")];
    const here = all.indexOf(token);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[key];
    return to === undefined ? null : all[Math.max(0, Math.min(to, all.length - 1))];
  };

  if (tip) {
    document.addEventListener("pointerover", (event) => {
      const token = tokenOf(event.target);
      if (token) show(token);
      else hide();
    });
    document.addEventListener("focusin", (event) => {
      const token = tokenOf(event.target);
      if (token) show(token);
    });
    document.addEventListener("focusout", hide);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      const token = tokenOf(event.target);
      const next = token && !event.altKey && !event.ctrlKey && !event.metaKey ? step(token, event.key) : null;
      if (!next) return;
      event.preventDefault();
      token.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    const follow = () => shown && place(shown);
    addEventListener("scroll", follow, { passive: true, capture: true });
    addEventListener("resize", follow);
  }
}
