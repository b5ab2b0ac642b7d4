{{- define "aside.labels" -}}
app.kubernetes.io/name: aside
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "aside.rules" -}}
{{- if .Values.bundle.url -}}
{{ required "bundle.keyConfigMap: the ConfigMap with the public key" .Values.bundle.keyConfigMap }}
{{- else -}}
{{ .Values.rulesConfigMap | default (printf "%s-rules" .Release.Name) }}
{{- end }}
{{- end }}
