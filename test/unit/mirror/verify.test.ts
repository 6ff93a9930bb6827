/** `mirror verify` finds every damage. */
import process from 'node:process'
import { beforeAll, expect, it } from 'vitest'
import { Random } from '../../support/host/random.ts'
import { buildMirror, DAMAGES, problemsOf } from '../../support/mirror/mirrorDamage.ts'

const PLACES = Number(process.env['ISONODE_LONG_COUNT'] ?? 1)

let mirror: ReadonlyMap<string, Uint8Array>

beforeAll(async () => {
  mirror = await buildMirror()
})

it('finds nothing in a whole mirror', async () => {
  expect(await problemsOf(mirror)).toEqual([])
})

it.each(Object.keys(DAMAGES))(
  'finds %s',
  async (kind) => {
    for (let place = 1; place <= PLACES; place++) {
      const objects = new Map(mirror)
      await DAMAGES[kind]?.(objects, new Random(place * 1000 + kind.length))
      expect(await problemsOf(objects), `place ${place}`).not.toEqual([])
    }
  },
  600_000,
)
