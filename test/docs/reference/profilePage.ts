/** docs/profiles.md, from the table of differences and the error table. */
import { PROFILE_DIFFERENCES } from '../../../src/api/profile.ts'
import { ERROR_TABLE } from '../../../src/rpc/errorTable.ts'
import { cell } from './methodPages.ts'

/** Path below docs/ → text. */
export function profilePages(): Map<string, string> {
  return new Map([['profiles.md', profilesPage()]])
}

function profilesPage(): string {
  return [
    '# Profiles',
    '',
    'Clients of private networks expect the answers of Besu, clients of public networks those of go-ethereum.',
    '`--rpc-profile` chooses where the two differ: `geth` is the default on the dev chain, `besu` everywhere else. All other',
    'answers are the same in both profiles.',
    '',
    'Generated from `src/api/profile.ts` and the error table by `npm run docs`. The [methods](methods/README.md) show both',
    'answers of an executed example where they differ.',
    '',
    ...Object.entries(PROFILE_DIFFERENCES).flatMap(([title, rows]) => [
      `## ${title}`,
      '',
      '| | `besu` | `geth` |',
      '|---|---|---|',
      ...rows.map(({ subject, besu, geth }) => `| ${[subject, besu, geth].map(cell).join(' | ')} |`),
      '',
    ]),
    '## Numbers of errors',
    '',
    'These errors have another number. [Errors](errors.md) lists all, with both messages; where `geth` has no message of its',
    'own, the answer names the cause.',
    '',
    '| Error | `besu` | `geth` |',
    '|---|---|---|',
    ...[...ERROR_TABLE].flatMap(([name, { code, message, geth }]) =>
      geth?.code === undefined || geth.code === code
        ? []
        : [
            `| [\`${name}\`](errors.md#${name.toLowerCase()}) | ${code} ${cell(message)} | ${geth.code} ${cell(geth.message ?? '')} |`.replace(
              '  |',
              ' |',
            ),
          ],
    ),
    '',
  ].join('\n')
}
