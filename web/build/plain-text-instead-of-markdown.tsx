/** What RJSF gets in place of its Markdown renderer. */
import type { ReactNode } from 'react'

/** Stands in for markdown-to-jsx inside RJSF (vite.config.ts): event files hold plain text. */
export function Markdown({ children }: { readonly children?: ReactNode }) {
  return <>{children}</>
}
