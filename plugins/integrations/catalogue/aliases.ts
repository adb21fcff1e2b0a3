/** Other names by which providers are known: accepted, and kept as the caller wrote them. */
export const aliases: Readonly<Record<string, string>> = {
  'open-ai': 'openai',
  azure: 'azure-openai',
  'azure-open-ai': 'azure-openai',
  mistral: 'mistral-ai',
  gemini: 'google',
  'google-ai': 'google',
  together: 'together-ai',
  fireworks: 'fireworks-ai',
  xai: 'x-ai',
  perplexity: 'perplexity-ai',
  vertex: 'vertex-ai',
  'amazon-bedrock': 'bedrock',
  'aws-bedrock': 'bedrock',
  'azure-ai-foundry': 'azure-ai',
  'azure-ai-inference': 'azure-ai',
  'cloudflare-workers-ai': 'workers-ai',
  'hugging-face': 'huggingface',
  'snowflake-cortex': 'cortex',
  'aws-sagemaker': 'sagemaker',
};

/** Providers whose integrations are stored though this build may not serve them: requests then say that there is no such provider. */
export const documentedProviders: readonly string[] = [
  'azure-ai',
  'bedrock',
  'cohere',
  'replicate',
  'sagemaker',
  'stability-ai',
  'vertex-ai',
  'workers-ai',
];
