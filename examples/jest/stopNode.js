module.exports = () => globalThis.node.close()
