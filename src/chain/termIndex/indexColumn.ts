/**
 * The sections as a derived column: completes the index of older databases in the background.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import type { IndexColumn } from '../../storage/indexColumns.ts'
import type { RewriteBatch } from '../../storage/migrations.ts'
import { Column, keys } from '../../storage/schema.ts'
import { corrupt, decodeNumber } from '../blockRecord.ts'
import { BACKGROUND_STEP, builtSections, sectionStep, sectionsUnder } from './sectionBuilder.ts'

/** A placeholder: the column itself stores the position of the build, because new blocks advance it too. */
const SOMEWHERE = Uint8Array.of(0)

export const TERM_SECTIONS: IndexColumn = {
  name: 'termSections',
  column: Column.termSection,
  version: 1,
  rewrite: buildFurther,
}

function buildFurther(reader: KeyValueReader): RewriteBatch {
  const hash = reader.get(keys.meta('head'))
  const number = hash && reader.get(keys.numberByHash(hash))
  if (number === undefined) throw corrupt('it has no head')
  const head = decodeNumber(number)
  const mutations = sectionStep(reader, head, BACKGROUND_STEP)
  if (mutations === undefined) return { mutations: [], position: undefined, progress: 1 }
  return { mutations, position: SOMEWHERE, progress: builtSections(reader) / sectionsUnder(head) }
}
