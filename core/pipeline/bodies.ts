import {
  addedCredentials,
  asObject,
  credentialMask,
  hideCredentials,
  hideInText,
  type JsonObject,
  type Outcome,
  parseJson,
  type RecordBodies,
  repeatedForms,
} from 'portcullis/sdk';
import { repeatedSecrets, secretsOf } from '../upstream/call-secrets.ts';
import type { Exchange } from './exchange.ts';

const nothing = new Uint8Array();

interface Sent {
  readonly body: Uint8Array;
  readonly hidden: readonly string[];
}

/** What was said in one exchange, without the credentials of its bodies, read when a log asks for it. */
export class ExchangeBodies implements RecordBodies {
  readonly #exchange: Exchange;
  readonly #outcome: Outcome;
  #sent: Sent | undefined;
  #repeated: readonly string[] | undefined;

  constructor(exchange: Exchange, outcome: Outcome) {
    this.#exchange = exchange;
    this.#outcome = outcome;
  }

  request(): ReturnType<RecordBodies['request']> {
    this.#sent ??= sentIn(this.#exchange);
    return { headers: this.#exchange.headers, body: this.#sent.body };
  }

  response(): ReturnType<RecordBodies['response']> {
    this.#repeated ??= this.#forms();
    const told = this.#repeated;
    const { headers, body } = this.#outcome;
    if (body.kind === 'bytes') return { headers, body: without(body.bytes, told), truncated: false };
    const sent = this.#exchange.sent?.bytes();
    return sent === undefined ? undefined : { headers, body: without(sent.bytes, told), truncated: sent.truncated };
  }

  control(name: string): string | undefined {
    return this.#exchange.control(name);
  }

  /** How the provider may repeat the credentials that it got: those of the client, those that its target added, and its own. */
  #forms(): readonly string[] {
    this.#sent ??= sentIn(this.#exchange);
    const { body, askedBody, calledAs } = this.#exchange;
    const inBody = [...this.#sent.hidden, ...(askedBody === undefined ? [] : addedCredentials(askedBody, body))];
    if (calledAs === undefined) return repeatedForms(inBody);
    return inBody.length === 0 ? repeatedSecrets(calledAs) : repeatedForms([...inBody, ...secretsOf(calledAs)]);
  }
}

function sentIn({ rawBody, body }: Exchange): Sent {
  const isRead = rawBody === undefined || Object.keys(body).length > 0;
  const given = isRead ? body : unread(rawBody);
  const shown = hideCredentials(given);
  // A plugin may have put another body in the place of the client's: that of a saved prompt, filled in.
  if (shown.body !== given || rawBody === undefined) return { body: bytesOf(shown.body), hidden: shown.hidden };
  return { body: isRead || given !== nobody ? rawBody : withoutTexts(rawBody), hidden: shown.hidden };
}

/** A body that was refused, as it is no JSON: part of one, or with a comma too many. */
function withoutTexts(bytes: Uint8Array): Uint8Array {
  if (!looksLikeJson(bytes)) return bytes;
  const text = Buffer.from(bytes).toString('utf8');
  const shown = hideInText(text);
  return shown === text ? bytes : Buffer.from(shown);
}

function bytesOf(body: JsonObject): Uint8Array {
  return Object.keys(body).length === 0 ? nothing : Buffer.from(JSON.stringify(body));
}

const [opens, opensList] = [0x7b, 0x5b];
const nobody: JsonObject = Object.freeze({});

function looksLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 0x20);
  return first === opens || first === opensList;
}

/** What passes as its bytes may be an object of JSON all the same. */
function unread(bytes: Uint8Array): JsonObject {
  return (looksLikeJson(bytes) ? asObject(parseJson(Buffer.from(bytes).toString('utf8'))) : undefined) ?? nobody;
}

/** Some replies tell once more what was asked, credentials too. */
function without(bytes: Uint8Array, told: readonly string[]): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = told.filter((text) => buffer.includes(text));
  if (found.length === 0) return bytes;
  return Buffer.from(found.reduce((all, text) => all.replaceAll(text, credentialMask), buffer.toString('utf8')));
}
