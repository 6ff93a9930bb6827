/** Files of a web page that the host has installed. */

/** One file. */
export interface WebAsset {
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Reads the files of a page by name; undefined when the page is not installed. */
export type WebAssets = () => Promise<ReadonlyMap<string, WebAsset> | undefined>
