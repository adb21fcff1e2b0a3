/** What the semantic conventions for generative AI (1.45.0) call providers that go by another name here. */
const names: Readonly<Record<string, string>> = {
  'azure-openai': 'azure.ai.openai',
  'azure-ai': 'azure.ai.inference',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  'vertex-ai': 'gcp.vertex_ai',
  'mistral-ai': 'mistral_ai',
  'perplexity-ai': 'perplexity',
  'x-ai': 'x_ai',
  watsonx: 'ibm.watsonx.ai',
};

/** `gen_ai.provider.name` of a provider unit. */
export function providerName(provider: string): string {
  return names[provider] ?? provider;
}
