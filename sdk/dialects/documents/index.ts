import type { JsonObject } from '../../json.ts';
import { readFault, writeFault } from '../chat/fault.ts';
import type { DocumentDialect, DocumentDialectName } from '../dialect.ts';
import { audioUsage, imagesUsage, ocrUsage, rerankUsage, speechUsage, tokensUsed } from './usage.ts';

function documentDialect<Name extends DocumentDialectName>(
  name: Name,
  usageIn: DocumentDialect['usageIn'],
): DocumentDialect & { readonly name: Name } {
  return { kind: 'document', name, faultOf: readFault, encodeFault: (fault) => writeFault(fault), usageIn };
}

const nothingUsed = () => undefined;

/** `POST /rerank`: `{ model, query, documents }`, answered with `results` of `index` and `relevance_score`. */
export const rerank = documentDialect('rerank', rerankUsage);
/** `POST /images/...`, as published in the OpenAI API reference; edits and variations are forms, or JSON. */
export const images = documentDialect('images', imagesUsage);
/** `POST /moderations`, as published in the OpenAI API reference. */
export const moderations = documentDialect('moderations', tokensUsed);
/** `POST /ocr`: `{ model, document }`, answered with `pages`, as published by Mistral. */
export const ocr = documentDialect('ocr', ocrUsage);
/** `POST /audio/speech`: `{ model, input, voice }`, answered with sound. */
export const speech = documentDialect('speech', speechUsage);
/** `POST /audio/transcriptions` and `/audio/translations`: a form with a file, answered with `text`. */
export const transcriptions = documentDialect('transcriptions', audioUsage);
/** `/files`. */
export const files = documentDialect('files', nothingUsed);
/** `/batches`. */
export const batches = documentDialect('batches', nothingUsed);
/** `/fine_tuning/jobs`. */
export const fineTuning = {
  ...documentDialect('fine-tuning', nothingUsed),
  // The `error` of a job that failed is no failure of the request that asks for it.
  faultOf: (json: JsonObject, status: number) =>
    status < 400 && json.object === 'fine_tuning.job' ? undefined : readFault(json, status),
};
