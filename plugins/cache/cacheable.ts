import {
  asArray,
  asObject,
  asObjects,
  type Endpoint,
  type Json,
  type JsonObject,
  type TargetContext,
} from 'portcullis/sdk';

/** Requests whose reply follows from their body. The others read or change what a provider keeps, or pass untouched. */
const endpoints: ReadonlySet<Endpoint> = new Set([
  'chatComplete',
  'complete',
  'embed',
  'rerank',
  'moderate',
  'ocr',
  'imageGenerate',
  'createSpeech',
  'messages',
  'messagesCountTokens',
  'createModelResponse',
]);

/** Fields that lean on what the provider keeps, or let it act elsewhere: their reply is not a matter of the body alone. */
const stateful = ['previous_response_id', 'conversation', 'container', 'mcp_servers'] as const;
/** Fields by which the caller asks the provider to keep the reply, or to make it later. */
const keeping = ['store', 'background'] as const;
/** Tools that run at the provider, and change or read more than the request; versions follow behind the name. */
const statefulTools = /^(mcp|code_interpreter|code_execution|container|computer|shell|memory)([-_]|$)/;
/** The same, in the format whose tools are members of an object. */
const statefulMembers = /^(code_?execution|computer_?use|mcp_?servers)$/i;

/** Whether a reply to the request may be kept and given again. */
export function isCacheable({ request, body }: TargetContext): boolean {
  if (!endpoints.has(request.endpoint) || request.method !== 'POST') return false;
  // Bodies that are not JSON, such as forms with files, are not in the target's body and would all look the same.
  if (!hasJson(request.headers['content-type'], request.body)) return false;
  // The caller wants nothing of the request to be kept.
  if (request.control('debug')?.trim().toLowerCase() === 'false') return false;
  return (
    stateful.every((field) => isAbsent(body[field])) &&
    keeping.every((field) => body[field] !== true) &&
    !asObjects([body.tools ?? []].flat()).some(isStateful) &&
    !isRounded(body)
  );
}

function hasJson(contentType: string | undefined, body: JsonObject): boolean {
  return (contentType === undefined || /[/+]json\b/i.test(contentType)) && Object.keys(body).length > 0;
}

/** Whether a number may stand for several of the client's text: the provider may get that text, and tell them apart. */
function isRounded(value: Json): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(isRounded);
}

function isAbsent(value: JsonObject[string] | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && asArray(value).length === 0);
}

function isStateful(tool: JsonObject): boolean {
  const { type } = tool;
  if (Object.keys(tool).some((name) => statefulMembers.test(name))) return true;
  return (typeof type === 'string' && statefulTools.test(type)) || asObject(tool.container) !== undefined;
}
