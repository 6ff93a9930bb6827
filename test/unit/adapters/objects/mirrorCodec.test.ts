import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { installMirrorReading } from '../../../../adapters/server/objects/mirrorCodec.ts'
import { concatBytes, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import { sha256 } from '../../../../src/base/primitives/sha256.ts'
import { inflated } from '../../../../src/mirror/format/compression.ts'

installMirrorReading()

const PLAIN = concatBytes(...Array.from({ length: 500 }, (_, i) => sha256(Uint8Array.of(i % 250, i >> 8))))
const DEFLATED = new Uint8Array(deflateRawSync(PLAIN))

describe('the compression of the host', () => {
  test('inflates a block', async () => {
    expect(equalBytes(await inflated('segments/a', DEFLATED, PLAIN.length), PLAIN)).toBe(true)
  })

  test.each([
    ['longer', DEFLATED, PLAIN.length - 1, `a block has more than ${PLAIN.length - 1} bytes`],
    ['much longer', DEFLATED, 100, 'a block has more than 100 bytes'],
    ['shorter', DEFLATED, PLAIN.length + 1, `a block has ${PLAIN.length} bytes instead of ${PLAIN.length + 1}`],
    ['cut off', DEFLATED.subarray(0, 100), PLAIN.length, 'its compression is damaged'],
  ])('refuses a block that is %s than its index says', async (_, bytes, length, message) => {
    await expect(inflated('segments/a', bytes, length)).rejects.toMatchObject({
      code: 'MIRROR_DAMAGED',
      message: expect.stringContaining(message),
    })
  })
})
