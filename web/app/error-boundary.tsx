/** The app's only error boundary: shows a message instead of a blank page. */
import { Component } from 'react'
import type { ReactNode } from 'react'

type BoundaryProps = {
  /** Content shown after an error. */
  readonly fallback: ReactNode
  /** Rendering is retried when this value, such as the URL or a text, changes. */
  readonly resetBy: unknown
  readonly children: ReactNode
}
type BoundaryState = { readonly hasError: boolean; readonly resetBy: unknown }

/** Renders its children; after an error, `fallback`, until `resetBy` changes. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasError: false, resetBy: this.props.resetBy }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasError: true }
  }

  static getDerivedStateFromProps(
    props: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return props.resetBy === state.resetBy ? null : { hasError: false, resetBy: props.resetBy }
  }

  override render(): ReactNode {
    return this.state.hasError ? this.props.fallback : this.props.children
  }
}
