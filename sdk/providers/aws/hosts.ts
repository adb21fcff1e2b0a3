/** What a region must look like: it becomes part of host names. */
export const regionPattern = '^[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$';

/** The domain of a region's hosts: China has one of its own. */
export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
