import type { Endpoints } from 'portcullis/sdk';

export const images: Endpoints = {
  imageGenerate: { path: '/images/generations', dialect: 'images' },
  imageEdit: { path: '/images/edits', dialect: 'images' },
  imageVariation: { path: '/images/variations', dialect: 'images' },
};

export const audio: Endpoints = {
  // Sound, or events that hold it where the client asks for `stream_format: 'sse'`.
  createSpeech: { path: '/audio/speech', dialect: 'speech', reply: 'bytes' },
  createTranscription: { path: '/audio/transcriptions', dialect: 'transcriptions' },
  createTranslation: { path: '/audio/translations', dialect: 'transcriptions' },
};
