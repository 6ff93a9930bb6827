/**
 * Puts screenshots together into an animated PNG, without decoding them.
 * @see https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
import { crc32 } from 'node:zlib'

/** A screenshot in PNG, and for how long it is shown. */
export interface Frame {
  readonly png: Buffer
  readonly ms: number
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const SIGNATURE_BYTES = 8
/** Length, type and checksum of a chunk. */
const CHUNK_FRAME_BYTES = 12

/** An animation that repeats for ever. Throws when a frame differs from the first one in size or kind of pixels. */
export function animationOf(frames: readonly Frame[]): Buffer {
  const [first] = frames
  if (first === undefined) throw new Error('an animation needs a frame')
  const header = headerOf(first.png)
  const chunks: Chunk[] = [
    { type: 'IHDR', data: header },
    { type: 'acTL', data: numbers(frames.length, 0) },
  ]
  let sequence = 0
  frames.forEach(({ png, ms }, i) => {
    if (!headerOf(png).equals(header)) throw new Error(`frame ${i} differs from the first one in its size or pixels`)
    // Both fields of the size, the position (0, 0), and the time in thousandths of a second.
    const time = Buffer.from(Uint16Array.of(ms, 1000).buffer).swap16()
    const size = header.subarray(0, 8)
    chunks.push({
      type: 'fcTL',
      data: Buffer.concat([numbers(sequence++), size, numbers(0, 0), time, Buffer.alloc(2)]),
    })
    for (const { type, data } of chunksOf(png)) {
      if (type !== 'IDAT') continue
      if (i === 0) chunks.push({ type, data })
      else chunks.push({ type: 'fdAT', data: Buffer.concat([numbers(sequence++), data]) })
    }
  })
  chunks.push({ type: 'IEND', data: Buffer.alloc(0) })
  return Buffer.concat([first.png.subarray(0, SIGNATURE_BYTES), ...chunks.map(encoded)])
}

function headerOf(png: Buffer): Buffer {
  const [header] = chunksOf(png)
  if (header?.type !== 'IHDR') throw new Error('a PNG begins with its header')
  return header.data
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
    at += CHUNK_FRAME_BYTES + length
  }
}

function encoded({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))])
}

function numbers(...values: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer).swap32()
}
