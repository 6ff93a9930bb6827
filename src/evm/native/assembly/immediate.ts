/** Simple opcodes that read code, input or the environment, and SWAP. */
import {
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_BLOB_COUNT,
  ENV_BLOB_HASHES,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_RANDOM,
  ENV_TIMESTAMP,
  FRAME_ADDRESS,
  FRAME_CALLER,
  FRAME_CODE_LENGTH,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_RETURN_LENGTH,
  FRAME_VALUE,
} from './layout'
import { clampU64, copyWord, fromAddress, fromBytes, setU64, toBytes } from './word'

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

/** Writes the value of an opcode without operands (frame, block or transaction data) to `word`. */
export function pushEnvironment(op: u32, frame: usize, word: usize): void {
  switch (op) {
    case 0x30:
      fromAddress(word, frame + FRAME_ADDRESS)
      break
    case 0x32:
      fromBytes(word, ENV_ORIGIN)
      break
    case 0x33:
      fromAddress(word, frame + FRAME_CALLER)
      break
    case 0x34:
      fromBytes(word, frame + FRAME_VALUE)
      break
    case 0x36:
      setU64(word, <u64>load<u32>(frame, FRAME_INPUT_LENGTH))
      break
    case 0x38:
      setU64(word, <u64>load<u32>(frame, FRAME_CODE_LENGTH))
      break
    case 0x3a:
      fromBytes(word, ENV_GAS_PRICE)
      break
    case 0x3d:
      setU64(word, <u64>load<u32>(frame, FRAME_RETURN_LENGTH))
      break
    case 0x41:
      fromBytes(word, ENV_COINBASE)
      break
    case 0x42:
      fromBytes(word, ENV_TIMESTAMP)
      break
    case 0x43:
      fromBytes(word, ENV_NUMBER)
      break
    case 0x44:
      fromBytes(word, ENV_RANDOM)
      break
    case 0x45:
      fromBytes(word, ENV_GAS_LIMIT)
      break
    case 0x46:
      fromBytes(word, ENV_CHAIN_ID)
      break
    case 0x48:
      fromBytes(word, ENV_BASE_FEE)
      break
    case 0x4a:
      fromBytes(word, ENV_BLOB_BASE_FEE)
      break
  }
}
