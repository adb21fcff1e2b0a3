import type { Endpoints } from 'portcullis/sdk';
import { fileContent } from './content.ts';
import { filesIn } from './dataset.ts';
import { reads, upload } from './upload.ts';

/** Datasets as files. Source: https://docs.cohere.com/reference/create-dataset and its neighbours. */
export const fileEndpoints: Endpoints = {
  uploadFile: { path: '/v1/datasets', dialect: 'files', flow: upload, reads },
  listFiles: {
    method: 'GET',
    path: ({ query }) => {
      const limit = Number(query.limit);
      return Number.isInteger(limit) && limit > 0 ? `/v1/datasets?limit=${limit}` : '/v1/datasets';
    },
    dialect: 'files',
    // What stands behind `after` is an id here and a date there.
    query: false,
    repair: filesIn,
  },
  retrieveFile: { method: 'GET', path: '/v1/datasets/{id}', dialect: 'files', query: false, repair: filesIn },
  deleteFile: {
    method: 'DELETE',
    path: '/v1/datasets/{id}',
    dialect: 'files',
    query: false,
    repair: (json, { facts }) =>
      typeof json.message === 'string' ? json : { id: facts.params.id ?? '', object: 'file', deleted: true },
  },
  retrieveFileContent: { method: 'GET', path: '/v1/datasets/{id}', flow: fileContent },
};
