// Requests to the server. The token is part of this page's address, so relative addresses carry it along.
let waiting = 0;
const busy = () => document.getElementById("busy");

export class Refused extends Error {
  constructor(error, status) {
    super(error?.message ?? `the server answers ${status}`);
    this.place = error?.place ?? null;
    this.hint = error?.hint ?? null;
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The server does not answer: it may have ended. This page goes on when it is there again.");
  }
}

// Says what it is doing when that takes longer than a third of a second.
export async function call(name, body = {}, doing = "working …") {
  const timer = doing && setTimeout(() => { busy().textContent = doing; }, 330);
  waiting += 1;
  try {
    let answer;
    try {
      answer = await fetch(`api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    } catch {
      throw new Unreachable();
    }
    const data = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refused(data.error, answer.status);
    return data;
  } finally {
    clearTimeout(timer);
    waiting -= 1;
    if (!waiting) busy().textContent = "";
  }
}

export function told(error) {
  return [error.message, error.hint].filter(Boolean).join("\n");
}
