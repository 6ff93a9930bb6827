import { keys } from '../../storage/schema.ts'

/** Key of the mark that a load sets until it has completed. */
export const LOAD_MARK: Uint8Array = keys.meta('loading')
