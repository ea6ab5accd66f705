/** The only door into the engine. */
export * from './config.ts'
export * from './wire.ts'
export * from './site.ts'
export * from './check/site.ts'
