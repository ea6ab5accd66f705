/**
 * TypeScript types of the three kinds of shared file after schema validation.
 *
 * Written by hand; a test compares them key by key with `schemas/*.schema.json`.
 */
import type { EngineValue } from '../../event/built-in-values.ts'
import type { GatewayKind } from '../../event/payment-method-types.ts'

export type Text = string

export type ListsFile = {
  readonly format: 1
  readonly lists: Readonly<
    Record<string, readonly (string | { readonly id: string; readonly label?: string })[]>
  >
}

export type GatewaysFile = {
  readonly format: 1
  readonly gateways: Readonly<Record<string, Gateway>>
}

export type TextsFile = {
  readonly format: 1
  readonly form: {
    readonly required: Text
    readonly invalid: {
      readonly email: Text
      readonly phone: Text
      readonly option: Text
      readonly file: Text
      readonly number?: Text
      readonly date?: Text
      readonly text?: Text
    }
    readonly summary: {
      readonly title: Text
      readonly empty: Text
      readonly button: Text
      readonly busy: Text
    }
    readonly without_payment: { readonly notice: Text; readonly alert: Text }
    readonly failure: Text
    readonly notice_ms: number
  }
  readonly results: {
    readonly no_order: Text
    readonly bad_order: Text
    readonly not_found: Text
    readonly fetch_failed: Text
    readonly missing_value: Text
  }
  readonly admin: {
    readonly empty: Text
    readonly load: Text
    readonly export: Text
    readonly sign_in: Text
    readonly dashboard: Text
    readonly retry: Text
  }
  readonly calls: Readonly<Record<string, Text>>
  readonly values: {
    readonly [name in keyof Labels]: Labels[name]
  }
}

/**
 * Labels of the built-in values. `id` is optional because only the office uses it, `lines` because
 * it is newer than the format.
 */
type Labels = Readonly<Record<Exclude<EngineValue, 'id' | 'lines'>, Text>> & {
  readonly id?: Text
  readonly lines?: Text
  readonly delegate?: Text
  readonly sum?: Text
}
type HttpsUrl = string

type Gateway = {
  readonly kind?: GatewayKind
  readonly live: {
    readonly pay: HttpsUrl
    readonly status: HttpsUrl
    readonly refund: HttpsUrl
    readonly hops: readonly HttpsUrl[]
  }
  readonly minimum?: number
  readonly constants: Readonly<Record<string, string>>
  readonly posts_to: string
  readonly posts: Readonly<Record<string, string>>
}
