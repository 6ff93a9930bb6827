/**
 * The sections as a derived column: completes the index of older databases in the background, and deletes the terms of blocks
 * that they kept beside complete sections.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import type { IndexColumn } from '../../storage/indexColumns.ts'
import type { RewriteBatch } from '../../storage/migrations.ts'
import { Column, keys } from '../../storage/schema.ts'
import { corrupt, decodeNumber, encodeNumber } from '../blockRecord.ts'
import { BlockTables } from '../blockTables.ts'
import { SECTION_BLOCKS } from './section.ts'
import {
  BACKGROUND_STEP,
  builtSections,
  deleteTerms,
  sectionStep,
  sectionsUnder,
  spentSections,
} from './sectionBuilder.ts'

/** A placeholder: the column itself stores the position of the build, because new blocks advance it too. */
const SOMEWHERE = Uint8Array.of(0)

export const TERM_SECTIONS: IndexColumn = {
  name: 'termSections',
  column: Column.termSection,
  version: 1,
  rewrite: buildFurther,
}

/** For databases from before the end of a section deleted terms. It must run after {@link TERM_SECTIONS}. */
export const SPENT_TERMS: IndexColumn = {
  name: 'spentTerms',
  column: Column.blockTerms,
  version: 1,
  rewrite: deleteFurther,
}

/** Position: the next section (6). */
function deleteFurther(reader: KeyValueReader, position: Uint8Array | undefined): RewriteBatch {
  const section = position === undefined ? firstSection(reader) : decodeNumber(position)
  const end = spentSections(reader)
  if (section >= end) return { mutations: [], position: undefined, progress: 1 }
  const mutations = deleteTerms(reader, section)
  return { mutations, position: encodeNumber(section + 1), progress: (section + 1) / end }
}

/** The section of the first block, which has a high number in a fork. */
function firstSection(reader: KeyValueReader): number {
  return Math.floor(new BlockTables(reader).firstNumber() / SECTION_BLOCKS)
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
