import { GatewayError } from 'portcullis/sdk';

/** As Promise.all, but it waits for all and tells every fault. */
export async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(work);
  const reasons = settled.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
  const unexpected = reasons.find((reason) => !GatewayError.is(reason));
  if (unexpected !== undefined) throw unexpected;
  const [first, ...others] = reasons as GatewayError[];
  if (first !== undefined && others.length === 0) throw first;
  if (first !== undefined) {
    const message = [first, ...others].map((reason) => reason.message).join('\n');
    throw new GatewayError(first.code, message, {
      cause: first,
      ...(first.param === undefined ? {} : { param: first.param }),
    });
  }
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
