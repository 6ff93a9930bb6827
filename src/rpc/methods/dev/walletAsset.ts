/**
 * A page asks its wallet to show a token. The dev chain checks the request and accepts it.
 * @see EIP-747
 * @module
 */
import { invalidParams, unexpectedValue } from '../../../api/errors.ts'
import { described } from '../../../base/primitives/printable.ts'
import { asObject, type JsonObject, member, parameterCodec } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { account, done } from './codecs.ts'
import { type DevBackend, devChain } from './operation.ts'

const ASSET_TYPES: readonly unknown[] = ['ERC20', 'ERC721', 'ERC1155']
const MAX_SYMBOL_LENGTH = 11
const MAX_DECIMALS = 36
const DECIMALS = /^\d{1,2}$/
const IMAGE_PROTOCOLS: readonly string[] = ['https:', 'http:', 'ipfs:', 'data:']

const symbol: Codec<string> = parameterCodec({ type: 'string', maxLength: MAX_SYMBOL_LENGTH }, (value) => {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_SYMBOL_LENGTH) return value
  throw unexpectedValue(`a text of 1 to ${MAX_SYMBOL_LENGTH} characters`, described(value))
})

/** Pages send the decimals as a number or as decimal text. */
const decimals: Codec<number> = parameterCodec({ type: 'integer', minimum: 0, maximum: MAX_DECIMALS }, (value) => {
  const number = typeof value === 'string' && DECIMALS.test(value) ? Number(value) : value
  if (Number.isInteger(number) && (number as number) >= 0 && (number as number) <= MAX_DECIMALS) return number as number
  throw unexpectedValue(`an integer of 0 to ${MAX_DECIMALS}`, described(value))
})

const image: Codec<string> = parameterCodec({ type: 'string', format: 'uri' }, (value) => {
  if (typeof value === 'string' && URL.canParse(value) && IMAGE_PROTOCOLS.includes(new URL(value).protocol))
    return value
  throw unexpectedValue('a URL of https, http, ipfs or data', described(value))
})

const options: Codec<void> = parameterCodec(
  {
    type: 'object',
    properties: {
      address: account.schema,
      symbol: symbol.schema,
      decimals: decimals.schema,
      image: image.schema,
    },
    required: ['address'],
  },
  (value) => {
    const fields = asObject(value, 'options')
    required(fields, 'address', account)
    member(fields, 'symbol', symbol)
    member(fields, 'decimals', decimals)
    member(fields, 'image', image)
  },
)

const assetType: Codec<unknown> = parameterCodec({ enum: ASSET_TYPES }, (value) => {
  if (ASSET_TYPES.includes(value)) return value
  throw unexpectedValue(`one of ${ASSET_TYPES.join(', ')}`, described(value))
})

const asset: Codec<void> = parameterCodec(
  {
    title: 'WatchedAsset',
    type: 'object',
    properties: { type: assetType.schema, options: options.schema },
    required: ['type', 'options'],
  },
  (value) => {
    const fields = asObject(value, 'asset')
    required(fields, 'type', assetType)
    required(fields, 'options', options)
  },
)

function required(fields: JsonObject, name: string, codec: Codec<unknown>): void {
  if (fields[name] !== undefined && fields[name] !== null) return void member(fields, name, codec)
  throw invalidParams(`${name}: missing`, { expected: 'a value', got: described(fields[name]), parameter: name })
}

const watchAsset: MethodDefinition<DevBackend> = defineMethod({
  name: 'wallet_watchAsset',
  group: 'DEV',
  summary: 'Accepts a token that a page wants its wallet to show; it is checked, and not kept (EIP-747).',
  params: [
    param(
      'asset',
      asset,
      'Object with `type` (ERC20, ERC721 or ERC1155) and `options`: `address`, and if given `symbol` of up to 11 characters, `decimals` up to 36 and the URL `image`.',
    ),
  ],
  takesObject: true,
  result: result('isAccepted', done),
  handler: (backend: DevBackend) => void devChain(backend),
})

export const walletAssetMethods: readonly MethodDefinition<DevBackend>[] = [watchAsset]
