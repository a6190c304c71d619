// Elements from data. Text is always text: nothing that a model says is ever taken for HTML.
const wanted = (child) => child !== null && child !== undefined && child !== false;

function made(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (!wanted(value)) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter(wanted));
  return node;
}

export const el = (tag, props = {}, ...children) => made(document.createElement(tag), props, children);

export const svg = (tag, props = {}, ...children) => made(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);

export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(wanted));
  return node;
}

// A drawing that came as text is shown as an image, in which no script runs.
export function image(text, alt) {
  return el("img", { class: "picture", alt, src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` });
}

export function save(name, text, type = "text/plain") {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Waits until nothing more comes, then does it once.
export function calmly(work, wait = 250) {
  let timer = null;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}

// Of several answers on their way, only that to the last question counts: the others give null.
export function onlyLast(ask) {
  let last = 0;
  return async (...given) => {
    last += 1;
    const mine = last;
    const answer = await ask(...given).then((value) => ({ value }), (error) => ({ error }));
    return mine === last ? answer : null;
  };
}

export const isTyping = (event) => event.target.matches("input, textarea, select");
