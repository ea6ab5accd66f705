import type { Field } from '../../engine/index.ts'
import type { FormConstants } from './context.ts'

/** Props of one question's control: RJSF's, with our field and the ids that tie hint and error to the control. */
export type ControlProps = {
  readonly field: Field
  readonly constants: FormConstants
  readonly id: string
  readonly value: unknown
  readonly change: (value: unknown) => void
  readonly leave: () => void
  readonly aria: {
    readonly 'aria-describedby'?: string
    readonly 'aria-invalid'?: true
    readonly 'aria-required'?: true
  }
}

/** Bytes as people say them: "5 MB", "340 KB". */
export function sizeText(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${Math.round((bytes / 1024 / 1024) * 10) / 10}\u00a0MB`
  return `${Math.max(1, Math.round(bytes / 1024))}\u00a0KB`
}

export function Chevron({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 20 20" className={`i chev ${className ?? ''}`} aria-hidden="true">
      <use href="#i-chev" />
    </svg>
  )
}
