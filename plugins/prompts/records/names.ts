import { asString, type JsonObject, type Operation } from 'portcullis/sdk';
import { collectionFor } from '../collections/find.ts';

/** The changes of a body to what is in no version. */
export async function namesOf(own: Operation, { name, collection_id: given }: JsonObject): Promise<JsonObject> {
  const collection = asString(given);
  return {
    ...(name === undefined ? {} : { name }),
    ...(collection === undefined ? {} : { collection_id: (await collectionFor(own, own.scope, collection)).id }),
  };
}
