/**
 * Configurations that say where credentials go, and who answers there: the vendor alone, or programs of anyone who asks
 * for such a place, which read what they are sent.
 */
export const places = {
  custom_host: 'anyone',
  azure_endpoint_name: 'vendor',
  // Deployments of one's own have a host of this form too.
  azure_foundry_url: 'anyone',
  azure_resource_name: 'vendor',
  databricks_workspace: 'vendor',
  huggingface_base_url: 'anyone',
  lepton_endpoint: 'anyone',
  snowflake_account: 'vendor',
} as const satisfies Readonly<Record<string, 'vendor' | 'anyone'>>;

export const placeNames = Object.keys(places) as readonly (keyof typeof places)[];
