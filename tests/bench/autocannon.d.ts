/** The part of autocannon that benchmarks use; the package has no types. */
declare module 'autocannon' {
  namespace autocannon {
    type Request = { readonly body?: string; readonly path?: string }
    type Options = {
      readonly url: string
      readonly connections: number
      readonly duration: number
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly requests?: readonly { readonly setupRequest: (request: Request) => Request }[]
    }
    type Result = {
      readonly '2xx': number
      readonly non2xx: number
      readonly errors: number
      /** Seconds. */
      readonly duration: number
      readonly latency: { readonly p50: number; readonly p99: number }
      readonly requests: { readonly average: number; readonly total: number }
    }
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>
  export default autocannon
}
