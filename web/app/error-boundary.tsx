/** The app's only error boundary: shows a message instead of a blank page. */
import { Component } from 'react'
import type { ReactNode } from 'react'

type BoundaryProps = {
  /** Content shown after an error. */
  readonly fallback: ReactNode
  /** The boundary renders its children again when this value changes. */
  readonly resetKey: unknown
  readonly children: ReactNode
}
type BoundaryState = { readonly hasError: boolean; readonly resetKey: unknown }

/** Renders its children. After an error, renders `fallback` until `resetKey` changes. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasError: false, resetKey: this.props.resetKey }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasError: true }
  }

  static getDerivedStateFromProps(
    props: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return props.resetKey === state.resetKey ? null : { hasError: false, resetKey: props.resetKey }
  }

  override render(): ReactNode {
    return this.state.hasError ? this.props.fallback : this.props.children
  }
}
