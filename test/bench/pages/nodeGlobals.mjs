/** Globals of Node that tevm expects of the bundler. */
export { Buffer } from 'buffer/'
export { default as process } from 'process/'
