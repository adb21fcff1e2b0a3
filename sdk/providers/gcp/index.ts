export { contentRequest, withoutRoute } from './content-request.ts';
export { wordAsCode } from './faults.ts';
export { batchStatus, labelsOf, tuningStatus } from './job-states.ts';
export { contentPictures, pictureDrops, picturesReply, predictPictures, predictsPictures } from './pictures.ts';
export { contentSpeech, speechDrops, spokenBytes, spokenReply } from './speech.ts';
export { unknownFields } from './unknown-fields.ts';
