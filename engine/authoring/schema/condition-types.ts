/** The type of a condition in an event file: one map, or a list of maps, one of which must be true. */

export type Condition = Readonly<Record<string, Test>> | readonly Readonly<Record<string, Test>>[]

type Test =
  | string
  | boolean
  | number
  | readonly (string | boolean | number)[]
  | {
      readonly not?: string | boolean | number | readonly (string | boolean | number)[]
      readonly answered?: boolean
      readonly has?: string | readonly string[]
      readonly count?: {
        readonly at_least?: number
        readonly at_most?: number
        readonly above?: number
        readonly below?: number
      }
      readonly age?: {
        readonly at_least?: number
        readonly at_most?: number
        readonly above?: number
        readonly below?: number
        readonly on?: string
      }
      readonly at_least?: number
      readonly at_most?: number
      readonly above?: number
      readonly below?: number
      readonly from?: string
      readonly to?: string
    }
