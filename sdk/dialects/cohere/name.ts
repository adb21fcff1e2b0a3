/** The name by which a call, or a part of one, says that it comes from this format. */
export const dialectName = 'cohere';
