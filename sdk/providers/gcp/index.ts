export {
  answeredLine,
  type BatchLine,
  batchLineOf,
  chatReply,
  failedLine,
  type LineTools,
  linesOf,
} from './batch-lines.ts';
export { contentRequest, withoutRoute } from './content-request.ts';
export { wordAsCode } from './faults.ts';
export { batchStatus, labelsOf, secondsOf, tuningStatus } from './job-states.ts';
export { listAfter, type Page } from './pages.ts';
export { contentPictures, pictureDrops, picturesReply, predictPictures, predictsPictures } from './pictures.ts';
export { contentSpeech, speechDrops, spokenBytes } from './speech.ts';
