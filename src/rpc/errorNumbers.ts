import { ERROR_TABLE } from './errorTable.ts'

/** Numbers of both profiles. The build of a page replaces this table by its content. */
export const ERROR_NUMBERS: ReadonlySet<number> = new Set(
  [...ERROR_TABLE.values()].flatMap(({ code, geth }) => [code, geth?.code ?? code]),
)
