import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from 'portcullis/sdk';

/** A span as a collector sees it, whatever it was written in. */
export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' where it has none. */
  readonly parentSpanId: string;
  /** '' where it has none. */
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly statusCode: number;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

/** Reads an export request of OTLP over HTTP in JSON (hex ids, 64-bit numbers as text). */
export function spansOfJson(text: string): readonly SeenSpan[] {
  return objects(asObject(parseJson(text))?.resourceSpans).flatMap((resourceSpans) => {
    const resource = jsonAttributes(asObject(resourceSpans.resource)?.attributes);
    return objects(resourceSpans.scopeSpans).flatMap(({ spans }) =>
      objects(spans).map((span) => ({
        traceId: asString(span.traceId) ?? '',
        spanId: asString(span.spanId) ?? '',
        parentSpanId: asString(span.parentSpanId) ?? '',
        traceState: asString(span.traceState) ?? '',
        name: asString(span.name) ?? '',
        kind: Number(span.kind),
        start: BigInt(String(span.startTimeUnixNano)),
        end: BigInt(String(span.endTimeUnixNano)),
        attributes: jsonAttributes(span.attributes),
        statusCode: Number(asObject(span.status)?.code ?? 0),
        resource,
      })),
    );
  });
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return asArray(value ?? [])
    .map((entry) => asObject(entry))
    .filter((entry) => entry !== undefined);
}

function jsonAttributes(value: Json | undefined): SeenSpan['attributes'] {
  return Object.fromEntries(
    objects(value).map(({ key, value }) => {
      const { stringValue, boolValue, intValue, doubleValue } = asObject(value) ?? {};
      if (intValue !== undefined) return [String(key), Number(intValue)];
      return [String(key), (stringValue ?? boolValue ?? doubleValue) as string | number | boolean];
    }),
  );
}

type Field = bigint | Buffer;

/** The fields of a message of protocol buffers, by their numbers. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new Error('The message ends in a field.');
    return bytes.subarray(at - length, at);
  };
  const readers: Readonly<Record<number, () => Field>> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`Wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

const messages = (fields: ReadonlyMap<number, readonly Field[]>, number: number): readonly Buffer[] =>
  (fields.get(number) ?? []).filter((field) => Buffer.isBuffer(field));
const number = (fields: ReadonlyMap<number, readonly Field[]>, at: number): bigint => {
  const [field] = fields.get(at) ?? [];
  return typeof field === 'bigint' ? field : 0n;
};

/** Reads an export request of OTLP in protocol buffers. */
export function spansOfProtobuf(bytes: Buffer): readonly SeenSpan[] {
  return messages(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const fields = fieldsOf(resourceSpans);
    const resource = messages(fields, 1).map((message) => protobufAttributes(messages(fieldsOf(message), 1)));
    return messages(fields, 2)
      .flatMap((scopeSpans) => messages(fieldsOf(scopeSpans), 2))
      .map((message) => {
        const span = fieldsOf(message);
        const [traceId, spanId, traceState, parentSpanId, name] = [1, 2, 3, 4, 5].map((at) => messages(span, at)[0]);
        const status = messages(span, 15)[0];
        return {
          traceId: traceId?.toString('hex') ?? '',
          spanId: spanId?.toString('hex') ?? '',
          parentSpanId: parentSpanId?.toString('hex') ?? '',
          traceState: traceState?.toString() ?? '',
          name: name?.toString() ?? '',
          kind: Number(number(span, 6)),
          start: number(span, 7),
          end: number(span, 8),
          attributes: protobufAttributes(messages(span, 9)),
          statusCode: status === undefined ? 0 : Number(number(fieldsOf(status), 3)),
          resource: resource[0] ?? {},
        };
      });
  });
}

function protobufAttributes(pairs: readonly Buffer[]): SeenSpan['attributes'] {
  return Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair);
      const value = fieldsOf(messages(fields, 2)[0] ?? Buffer.alloc(0));
      return [messages(fields, 1)[0]?.toString() ?? '', anyValue(value)];
    }),
  );
}

function anyValue(value: ReadonlyMap<number, readonly Field[]>): string | number | boolean {
  const [text] = messages(value, 1);
  if (text !== undefined) return text.toString();
  if (value.has(2)) return number(value, 2) === 1n;
  if (value.has(3)) return Number(number(value, 3));
  const double = Buffer.alloc(8);
  double.writeBigUInt64LE(number(value, 4));
  return double.readDoubleLE();
}
