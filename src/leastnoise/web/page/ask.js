// Questions to the program. The address of the page holds the token, and relative addresses keep it.

const PAGE = crypto.randomUUID();

export class Refused extends Error {
  constructor(parts, status) {
    super(parts.rule);
    this.parts = parts;
    this.status = status;
  }
}

/** The answer to one question; throws Refused with rule, finding and remedy. */
export const ask = (name, said) => answered(`api/${name}`, "POST", "application/json", JSON.stringify({ ...said, page: PAGE }));

/** A file for the program, which stores it and tells where. */
export const send = (file) => answered(`upload/${encodeURIComponent(file.name)}`, "PUT", "application/octet-stream", file);

async function answered(address, method, type, body) {
  let response;
  try {
    response = await fetch(address, { method, headers: { "content-type": type }, body });
  } catch {
    throw new Refused({ rule: "the program must be running", finding: "no answer", remedy: "Start it again: leastnoise explore." }, 0);
  }
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.refused, response.status);
  return answer;
}

/** Asks one question at a time; of those that come meanwhile only the last is asked. */
export class Latest {
  #name;
  #show;
  #fail;
  #busy = false;
  #next = null;

  constructor(name, show, fail) {
    this.#name = name;
    this.#show = show;
    this.#fail = fail;
  }

  get idle() {
    return !this.#busy;
  }

  async put(said) {
    this.#next = said;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#next !== null) {
      const current = this.#next;
      this.#next = null;
      try {
        const answer = await ask(this.#name, current);
        if (this.#next === null) this.#show(answer, current);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (this.#next === null && error.status !== 409) this.#fail(error.parts, current);
      }
    }
    this.#busy = false;
  }
}

/** Calls `work` once nothing has happened for some milliseconds. */
export function afterPause(milliseconds, work) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}
