/** A page publishes nothing, and has its own properties for the mirror that it reads. */
export const MIRROR_OPTIONS: Readonly<Record<string, never>> = {}
