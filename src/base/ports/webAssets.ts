/** Files of a web page that the host has installed. */

/** One file. */
export interface WebAsset {
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Reads the files of a page by name; undefined when the page is not installed. */
export type WebAssets = () => Promise<ReadonlyMap<string, WebAsset> | undefined>

/** One file that was compressed when the page was built. */
export interface PackedAsset {
  readonly contentType: string
  /** undefined: the host compresses what it sends. */
  readonly gzip: Uint8Array<ArrayBuffer> | undefined
  /** The file itself, for clients that do not accept gzip. */
  decompress(): Uint8Array<ArrayBuffer>
}

/** Reads a file of a page by name; undefined when the page has no such file or is not built. */
export type PackedAssets = (name: string) => Promise<PackedAsset | undefined>
