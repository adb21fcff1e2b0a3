import { asArray, asObject, asString, type JsonObject } from 'portcullis/sdk';
import { readLeaves } from './leaves.ts';
import { Gathering, type JsonPath, type Reading, type Speaker } from './reading.ts';

// Requests and replies as published: https://docs.mistral.ai/api/#tag/ocr. The document itself cannot be read.

/** What is to be noted about the document. */
export function readPagePrompt({ document_annotation_prompt: prompt }: JsonObject): Reading {
  const found = new Gathering();
  if (typeof prompt === 'string') found.text(['document_annotation_prompt'], prompt, 'user', 'text', 0);
  return found;
}

/** Of a page: its text, and what stands apart from it. */
const lines = ['markdown', 'header', 'footer'] as const;
const lists = ['tables', 'blocks', 'hyperlinks'] as const;
const written: Speaker = { role: 'assistant', kind: 'text', message: 0 };

/** The text of pages that were read, and what was noted about them. */
export function readPages({ pages, document_annotation: note }: JsonObject): Reading {
  const found = new Gathering();
  const text = (path: JsonPath, value: unknown) => {
    const said = asString(value);
    if (said !== undefined) found.text(path, said, 'assistant', 'text', 0);
  };
  asArray(pages).forEach((item, index) => {
    const page = asObject(item) ?? {};
    const at: JsonPath = ['pages', index];
    for (const field of lines) text([...at, field], page[field]);
    for (const field of lists) readLeaves(found, page[field], [...at, field], written);
    asArray(page.images).forEach((image, place) => {
      text([...at, 'images', place, 'image_annotation'], asObject(image)?.image_annotation);
    });
  });
  text(['document_annotation'], note);
  return found;
}
