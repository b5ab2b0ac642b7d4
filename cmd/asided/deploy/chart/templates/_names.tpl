{{- define "asided.labels" -}}
app.kubernetes.io/name: asided
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "asided.rules" -}}
{{- if .Values.bundle.url -}}
{{ required "bundle.keyConfigMap: the ConfigMap with the public key" .Values.bundle.keyConfigMap }}
{{- else -}}
{{ .Values.rulesConfigMap | default (printf "%s-rules" .Release.Name) }}
{{- end }}
{{- end }}
{{- define "asided.scrape" -}}
path: /metrics
authorization:
  credentials:
    {{- if .Values.readToken.existingSecret }}
    name: {{ .Values.readToken.existingSecret }}
    key: {{ .Values.readToken.key }}
    {{- else }}
    name: {{ required "readToken.existingSecret: the secret with a token of the scope read" .Values.token.existingSecret }}
    key: {{ .Values.token.key }}
    {{- end }}
{{- end }}
