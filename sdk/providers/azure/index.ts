export { type AzureAuthOptions, azureAuth } from './auth.ts';
export { azureAuthSettings } from './auth-settings.ts';
export { type AzurePaths, azureEndpoints } from './endpoints.ts';
