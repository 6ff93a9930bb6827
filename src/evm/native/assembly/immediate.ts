/** Small opcodes that read code, input or the environment, and SWAP. */
import { ENV_BLOB_COUNT, ENV_BLOB_HASHES, FRAME_INPUT, FRAME_INPUT_LENGTH } from './layout'
import { clampU64, copyWord, fromBytes, setU64, toBytes } from './word'

export function callDataLoad(frame: usize, word: usize): void {
  const length = <u64>load<u32>(frame, FRAME_INPUT_LENGTH)
  const from = clampU64(word)
  if (from >= length) {
    setU64(word, 0)
    return
  }
  const source = load<u32>(frame, FRAME_INPUT) + <usize>from
  if (length - from >= 32) {
    fromBytes(word, source)
    return
  }
  setU64(word, 0)
  memory.copy(word, source, <usize>(length - from))
  toBytes(word, word)
}

export function blobHash(word: usize): void {
  const index = clampU64(word)
  if (index < <u64>load<u32>(ENV_BLOB_COUNT)) fromBytes(word, load<u32>(ENV_BLOB_HASHES) + ((<usize>index) << 5))
  else setU64(word, 0)
}

/** Exchanges two words. */
export function swap(a: usize, b: usize): void {
  const w0 = load<u64>(a)
  const w1 = load<u64>(a, 8)
  const w2 = load<u64>(a, 16)
  const w3 = load<u64>(a, 24)
  copyWord(a, b)
  store<u64>(b, w0)
  store<u64>(b, w1, 8)
  store<u64>(b, w2, 16)
  store<u64>(b, w3, 24)
}
