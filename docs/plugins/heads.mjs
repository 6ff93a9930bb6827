// An example plugin: it counts blocks, serves the count and logs every hundredth one.
//
//   isonode --plugins=docs/plugins/heads.mjs --rpc-http-api=ETH,NET,WEB3,PLUGINS
//
// The interval is read from the environment, again with plugins_reloadPluginConfig.

let interval = 100
let seen = 0n
let last

function configure() {
  interval = Number(process.env.HEADS_INTERVAL ?? 100)
}

/** @type {import('isonode').Plugin} */
export default {
  name: 'heads',

  methods: [
    {
      name: 'heads_seen',
      summary: 'Number of blocks since the start, and the last one.',
      handler: () => ({ count: `0x${seen.toString(16)}`, last: last ?? null }),
    },
  ],

  async start({ logger, metrics, request, on }) {
    configure()
    logger.info('counting blocks', { from: await request('eth_blockNumber') })
    const counter = metrics.counter('blocks_total', 'Blocks that the plugin has seen.')
    on('head', ({ added }) => {
      counter.add(added.length)
      for (const { number, hash } of added) {
        seen++
        last = hash
        if (number % BigInt(interval) === 0n) logger.info('head', { number, hash })
      }
    })
  },

  reload: configure,

  stop() {
    last = undefined
  },
}
