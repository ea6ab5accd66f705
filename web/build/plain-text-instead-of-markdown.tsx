/** The plain-text replacement for RJSF's Markdown renderer. */
import type { ReactNode } from 'react'

/** Replaces markdown-to-jsx in RJSF (vite.config.ts), because event files contain plain text. */
export function Markdown({ children }: { readonly children?: ReactNode }) {
  return <>{children}</>
}
