import {
  asObject,
  asObjects,
  asString,
  type FlowCall,
  type FlowResult,
  type FlowTools,
  GatewayError,
} from 'portcullis/sdk';

/** The bytes of a dataset: the file as it was uploaded where the provider kept it, else its own form of it (Avro). */
export async function contentOf(id: string, { send, open }: FlowTools): Promise<FlowResult> {
  const { json } = await send({ method: 'GET', url: `/v1/datasets/${encodeURIComponent(id)}` });
  const [part] = asObjects(asObject(json.dataset)?.dataset_parts);
  const url = asString(part?.original_url) || asString(part?.url);
  if (!url) throw new GatewayError('not_found', 'The provider has no content of this file to download yet.');
  // The address is signed: it takes no other credential.
  const { status, headers, body } = await open({ method: 'GET', url, anonymous: true });
  return { status, contentType: headers['content-type'] ?? 'application/octet-stream', body };
}

/** https://docs.cohere.com/reference/get-dataset */
export function fileContent({ facts }: FlowCall, tools: FlowTools): Promise<FlowResult> {
  return contentOf(facts.params.id ?? '', tools);
}
