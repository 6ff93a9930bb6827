import { createBrowserNode } from 'isonode/browser'
import { createPublicClient, createWalletClient, custom, formatEther, parseEther } from 'viem'

const JAR = '0x00000000000000000000000000000000000000aa'

/** The whole chain is in this page, and in its IndexedDB. */
const node = await createBrowserNode()
const reader = createPublicClient({ transport: custom(node) })
const wallet = createWalletClient({ transport: custom(node) })
const [account] = await wallet.getAddresses()

const balance = document.querySelector('#balance')
const button = document.querySelector('#tip')

async function show() {
  balance.textContent = formatEther(await reader.getBalance({ address: JAR }))
}

button.addEventListener('click', async () => {
  const hash = await wallet.sendTransaction({ chain: null, account, to: JAR, value: parseEther('1') })
  await reader.waitForTransactionReceipt({ hash })
  await show()
})
await show()
