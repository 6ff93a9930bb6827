/** docs/errors.md, from the error table, the codes of a provider and the guide of errors. */
import { ERROR_GUIDE, type ErrorEntry } from '../../../src/base/primitives/errorGuide.ts'
import { ERROR_NUMBERS } from '../../../src/rpc/errorNumbers.ts'
import { ERROR_TABLE } from '../../../src/rpc/errorTable.ts'
import { DISCONNECTED } from '../../../src/rpc/providerContract.ts'
import { NUMBERS } from './errorNumbers.ts'
import { cell } from './methodPages.ts'

/** The same code of a request has its cause and remedy here, and its numbers in the table by name. */
const GUIDE: ReadonlyMap<string, ErrorEntry> = new Map(Object.entries(ERROR_GUIDE))

export function errorsPage(): string {
  return [
    '# Errors',
    '',
    'This page lists the errors of isonode with their causes and remedies. `error.docs` is the address of an entry here.',
    '',
    '## Errors of the library and the program',
    '',
    '`startNode`, `createBrowserNode` and the methods of a node other than `request` throw a `NodeError`, whose `code` is a',
    'text. The command `isonode` prints the message of the same errors.',
    '',
    '| Code | Cause | What helps |',
    '|---|---|---|',
    ...[...GUIDE].map(([name, { cause, remedy }]) => `| ${named(name)} | ${cell(cause)} | ${cell(remedy)} |`),
    '',
    '## Numbers',
    '',
    'The `code` of a JSON-RPC error, and of the `RequestError` that `request` throws.',
    '',
    '| Number | Cause | What helps |',
    '|---|---|---|',
    ...numbers().map((number) => {
      const [cause, remedy] = NUMBERS[number] ?? []
      if (cause === undefined || remedy === undefined) throw new Error(`no description of the error number ${number}`)
      return `| <a id="${Math.abs(number)}"></a>${number} | ${cell(cause)} | ${cell(remedy)} |`
    }),
    '',
    '## Errors by name',
    '',
    'JSON-RPC errors by the code of this project, generated from the error table. `--rpc-profile=geth` is the default on',
    'the dev chain; where it has no message, the answer holds a message that names the invalid part.',
    '',
    '| Error | Besu profile | geth profile | Data |',
    '|---|---|---|---|',
    ...[...ERROR_TABLE].map(([name, { code, message, geth, data }]) => {
      const other =
        geth === undefined ? 'the same' : `${geth.code ?? code} ${cell(geth.message ?? '(names the cause)')}`
      const shown = GUIDE.has(name) ? `[\`${name}\`](#${name.toLowerCase()})` : named(name)
      return `| ${shown} | ${code} ${cell(message)} | ${other} | ${data ?? ''} |`
    }),
    '',
  ].join('\n')
}

function named(code: string): string {
  return `<a id="${code.toLowerCase()}"></a>\`${code}\``
}

/** Numbers of both profiles and of the provider, ascending by their distance from zero. */
function numbers(): readonly number[] {
  return [...ERROR_NUMBERS, DISCONNECTED].sort((a, b) => Math.abs(a) - Math.abs(b))
}
